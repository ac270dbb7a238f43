import { Type } from '../platform/typebox.ts';
import { request, text } from './schema.ts';

/** ISO 20022 PstlAdr, with the lengths of pain.001.001.09. */
export const PostalAddress = Type.Object(
  {
    streetName: Type.Optional(text(70)),
    buildingNumber: Type.Optional(text(16)),
    postBox: Type.Optional(text(16)),
    postalCode: Type.Optional(text(16)),
    townName: text(35),
    countrySubDivision: Type.Optional(text(35)),
    country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2.' }),
    addressLines: Type.Optional(
      Type.Array(text(70), {
        minItems: 1,
        maxItems: 2,
        description: 'Street and the like, in place of the fields (hybrid address).',
      }),
    ),
  },
  { ...request, description: 'Town and country by themselves, as banks want them.' },
);

import type { SpreadRule, SpreadRuleInput } from '@firmquote/client/operator';
import { pairText } from '../money/amount.ts';
import type { ChangeLine } from '../parts/change.tsx';

/** Which rule makes a customer's spread, and what a change of the rules would be. Basis points are texts throughout. */

export type Target = Pick<SpreadRule, 'customerId' | 'groupName' | 'pair'>;

/** The strongest first, as prices are made. */
const ORIGINS = ['customer and pair', 'customer', 'group and pair', 'group', 'pair', 'everybody'] as const;
export type Origin = (typeof ORIGINS)[number];

export function originOf({ customerId, groupName, pair }: Target): Origin {
  if (customerId !== null) return pair === null ? 'customer' : 'customer and pair';
  if (groupName !== null) return pair === null ? 'group' : 'group and pair';
  return pair === null ? 'everybody' : 'pair';
}

export interface EffectiveSpread {
  readonly pair: string;
  readonly standing: SpreadRule | undefined;
  /** Rules of the same reach for amounts, tenors or short promises: they price what meets them. */
  readonly special: readonly SpreadRule[];
  /** Standing rules that a stronger one outdoes, the strongest first. */
  readonly outdone: readonly SpreadRule[];
}

/** What holds for a pair of a customer without more being known of a request; each further condition may choose another rule. */
export function effectiveSpread(
  rules: readonly SpreadRule[],
  customer: { readonly customerId: string; readonly groupName: string | null },
  pair: string,
  now: number,
): EffectiveSpread {
  const mine = rules
    .filter(
      (rule) =>
        (rule.customerId === null || rule.customerId === customer.customerId) &&
        (rule.groupName === null || rule.groupName === customer.groupName) &&
        (rule.pair === null || rule.pair === pair) &&
        (rule.validFrom === null || Date.parse(rule.validFrom) <= now) &&
        (rule.validTo === null || Date.parse(rule.validTo) > now),
    )
    .toSorted(byStrength);
  const standing = mine.filter(isStanding);
  const strongest = standing[0];
  const reach = strongest === undefined ? ORIGINS.length : ORIGINS.indexOf(originOf(strongest));
  return {
    pair,
    standing: strongest,
    special: mine.filter((rule) => !isStanding(rule) && ORIGINS.indexOf(originOf(rule)) <= reach),
    outdone: standing.slice(1),
  };
}

function isStanding({ tenor, validityUpToSeconds, amountFrom }: SpreadRule): boolean {
  return tenor === null && validityUpToSeconds === null && /^0*(\.0*)?$/.test(amountFrom);
}

function byStrength(a: SpreadRule, b: SpreadRule): number {
  const reach = ORIGINS.indexOf(originOf(a)) - ORIGINS.indexOf(originOf(b));
  if (reach !== 0) return reach;
  const later = (b.validFrom ?? '').localeCompare(a.validFrom ?? '');
  return later !== 0 ? later : b.ruleId.localeCompare(a.ruleId);
}

/** What a rule asks of a request, as people say it. */
export function conditionsOf({
  tenor,
  validityUpToSeconds,
  amountFrom,
}: Pick<SpreadRule, 'tenor' | 'validityUpToSeconds' | 'amountFrom'>): string {
  const parts = [
    tenor === null ? '' : `for ${tenor}`,
    validityUpToSeconds === null ? '' : `up to ${validityUpToSeconds} s`,
    /^0*(\.0*)?$/.test(amountFrom) ? '' : `from ${amountFrom} USD`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'always' : parts.join(', ');
}

/** Edits that nobody has sent yet: new spreads by rule, rules that go, and rules that come. */
export interface Edits {
  readonly spreads: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
  readonly added: readonly SpreadRuleInput[];
}
export const NO_EDITS: Edits = { spreads: {}, removed: [], added: [] };

/** What is wrong with basis points as somebody typed them. */
export function wrongBps(text: string): string | undefined {
  if (!/^\d{1,4}(\.\d{1,2})?$/.test(text.trim())) return 'Enter basis points, such as 12 or 7.50.';
  return undefined;
}

const plain = (bps: string) => bps.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');

export function linesOf(rules: readonly SpreadRule[], edits: Edits): readonly ChangeLine[] {
  const changed = rules.flatMap((rule): ChangeLine[] => {
    const what = targetText(rule);
    if (edits.removed.includes(rule.ruleId)) return [{ what, before: rule.spreadBps, after: undefined }];
    const next = edits.spreads[rule.ruleId]?.trim();
    if (next === undefined || plain(next) === plain(rule.spreadBps)) return [];
    return [{ what, before: rule.spreadBps, after: next }];
  });
  const added = edits.added.map((rule) => ({
    what: targetText({ ...EMPTY, ...defined(rule) }),
    before: undefined,
    after: rule.spreadBps,
  }));
  return [...changed, ...added];
}

const EMPTY = {
  validFrom: null,
  validTo: null,
  customerId: null,
  groupName: null,
  pair: null,
  tenor: null,
  validityUpToSeconds: null,
  amountFrom: '0.00',
};

function defined(rule: SpreadRuleInput): Partial<typeof EMPTY> {
  return Object.fromEntries(Object.entries(rule).filter(([, value]) => value != null)) as Partial<
    typeof EMPTY
  >;
}

type Reach = Target &
  Pick<SpreadRule, 'tenor' | 'validityUpToSeconds' | 'amountFrom'> &
  Partial<Pick<SpreadRule, 'validFrom' | 'validTo'>>;

export function targetText(rule: Reach): string {
  return [reachText(rule), ...narrowedBy(rule)].join(', ');
}

export function reachText({ customerId, groupName, pair }: Target): string {
  return [customerId ?? groupName ?? 'everybody', pair ?? 'any pair'].join(', ');
}

/**
 * What a field for a rule is called: aloud, nothing else tells it from the fields of other rules.
 * @param customer its name, where that is known
 */
export function nameOfRule(rule: SpreadRule, customer = rule.customerId): string {
  const target = [customer ?? rule.groupName, rule.pair && pairText(rule.pair)];
  return [originOf(rule), ...target.filter((part) => part !== null), ...narrowedBy(rule)].join(', ');
}

function narrowedBy(rule: Reach): readonly string[] {
  const conditions = conditionsOf(rule);
  return [
    ...(conditions === 'always' ? [] : [conditions]),
    ...(rule.validFrom == null ? [] : [`valid from ${rule.validFrom}`]),
    ...(rule.validTo == null ? [] : [`valid until ${rule.validTo}`]),
  ];
}

/** The whole set as it would be: what the service takes is never a part of it. */
export function changedRules(rules: readonly SpreadRule[], edits: Edits): readonly SpreadRuleInput[] {
  const kept = rules
    .filter(({ ruleId }) => !edits.removed.includes(ruleId))
    .map(({ version: _version, createdAt: _createdAt, ...rule }) => ({
      ...rule,
      tenor: rule.tenor as SpreadRuleInput['tenor'],
      spreadBps: edits.spreads[rule.ruleId]?.trim() ?? rule.spreadBps,
    }));
  return [...kept, ...edits.added];
}

/** Changes that somebody should look at twice. */
export function warningsOf(lines: readonly ChangeLine[]): readonly string[] {
  return lines.flatMap(({ what, before, after }) => {
    if (after === undefined) return [`${what}: a weaker rule will price this, or none.`];
    if (hundredths(after) === 0n) return [`${what}: no spread at all.`];
    if (before !== undefined && hundredths(after) > 3n * hundredths(before) && hundredths(before) > 0n)
      return [`${what}: more than three times the current spread.`];
    return [];
  });
}

function hundredths(bps: string): bigint {
  const [whole = '0', fraction = ''] = bps.trim().split('.');
  return /^\d+$/.test(whole) && /^\d{0,2}$/.test(fraction) ? BigInt(whole + fraction.padEnd(2, '0')) : 0n;
}

/** Whose price, of which pair, shows what a change does: of the first rule that it touches and that says so. */
export function aboutOf(
  rules: readonly SpreadRule[],
  { spreads, removed, added }: Edits,
): { readonly customerId: string | null; readonly pair: string | null } {
  const touched = rules.filter(({ ruleId }) => ruleId in spreads || removed.includes(ruleId));
  const all = [...added, ...touched];
  const about = all.find(({ customerId }) => customerId !== null) ?? all.find(({ pair }) => pair !== null);
  return { customerId: about?.customerId ?? null, pair: about?.pair ?? null };
}

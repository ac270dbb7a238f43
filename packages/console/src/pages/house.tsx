import { CollectionAccounts } from '../house/collection-accounts.tsx';
import { ExposureLimits } from '../house/exposure-limits.tsx';
import { TradeSizes } from '../house/trade-sizes.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { useTitle } from '../parts/title.ts';

/** What the house has set for itself. */
export function House() {
  useTitle('House');
  return (
    <>
      <div className="page-head">
        <h1>House</h1>
      </div>
      <Tabs
        tabs={[
          {
            name: 'exposure',
            text: 'Exposure limits',
            reads: ['getExposureLimits'],
            show: () => <ExposureLimits />,
          },
          { name: 'sizes', text: 'Trade sizes', reads: ['getAmountLimits'], show: () => <TradeSizes /> },
          {
            name: 'accounts',
            text: 'Collection accounts',
            reads: ['listCollectionAccounts'],
            show: () => <CollectionAccounts />,
          },
        ]}
      />
    </>
  );
}

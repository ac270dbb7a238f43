import type * as accounts from '@firmquote/api/operations/customer-accounts';
import type * as api from '@firmquote/api/operations/customers';
import type { OwnAccount } from '@firmquote/api/operations/own-money';
import { maskAccount } from '@firmquote/bank-formats';
import { formatUsd, US_DOLLAR } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import type { CollectionAccount, SettlementInstruction } from './account-store.ts';
import type { LimitUsage } from './limits.ts';
import { type CustomerRecord, effectiveQuotas, effectiveSettings, type LimitsRecord } from './records.ts';

/** Records as the API shows them. */

export function customerView(customer: CustomerRecord): api.Customer {
  const { id, settings, createdAt, updatedAt, ...rest } = customer;
  const effective = effectiveSettings(settings);
  return {
    ...rest,
    customerId: typeId('cus', id),
    settings: {
      ...effective,
      permittedValidities: [...effective.permittedValidities],
      payerNames: [...effective.payerNames],
    },
    createdAt: isoInstant(createdAt),
    updatedAt: isoInstant(updatedAt),
  };
}

/** In the shape in which limits are set, so that what was read can be changed and sent back. */
export function limitsView(limits: LimitsRecord): api.CustomerLimits {
  return {
    currency: US_DOLLAR.code,
    dailyVolume: formatUsd(limits.dailyUsdMinor),
    openPosition: formatUsd(limits.openUsdMinor),
    singleTrade: formatUsd(limits.tradeUsdMinor),
    maxOpenQuotes: limits.maxOpenQuotes,
    rates: effectiveQuotas(limits.rates),
  };
}

export function usageView(usage: LimitUsage): api.LimitUsage {
  const used = (limit: bigint, spent: bigint) => ({
    limit: formatUsd(limit),
    used: formatUsd(spent),
    remaining: formatUsd(spent < limit ? limit - spent : 0n),
  });
  return {
    currency: US_DOLLAR.code,
    tradeDate: usage.tradeDate,
    resetsAt: isoInstant(usage.resetsAt),
    dailyVolume: used(usage.limits.dailyUsdMinor, usage.dailyUsedMinor),
    openPosition: used(usage.limits.openUsdMinor, usage.openUsedMinor),
  };
}

/** What a customer sees of its own limits. */
export function customerLimitsView(usage: LimitUsage): api.OwnLimits {
  return {
    ...usageView(usage),
    singleTrade: { limit: formatUsd(usage.limits.tradeUsdMinor) },
    maxOpenQuotes: usage.limits.maxOpenQuotes,
    rates: effectiveQuotas(usage.limits.rates),
  };
}

/** The number of the account itself never leaves the service here. */
export function instructionView(instruction: SettlementInstruction): accounts.SettlementInstruction {
  return {
    settlementInstructionId: typeId('ssi', instruction.id),
    customerId: typeId('cus', instruction.customerId),
    currency: instruction.currency,
    accountHolder: instruction.accountHolder,
    bankName: instruction.bankName,
    bankCountry: instruction.bankCountry,
    lei: instruction.lei,
    bic: instruction.bic,
    accountType: instruction.iban === null ? 'account_number' : 'iban',
    accountMasked: maskAccount(instruction.iban ?? instruction.accountNumber ?? ''),
    routingNumber: instruction.routingNumber,
    status: instruction.status,
    usableFrom: instruction.usableFrom === null ? null : isoInstant(instruction.usableFrom),
    createdAt: isoInstant(instruction.createdAt),
  };
}

/** What a customer sees of its own account. */
export function ownAccountView(instruction: SettlementInstruction): OwnAccount {
  const { customerId: _customer, lei: _lei, ...own } = instructionView(instruction);
  return own;
}

export function collectionAccountView(account: CollectionAccount): accounts.CollectionAccount {
  const { next, ...own } = account;
  return {
    ...own,
    rails: [...own.rails],
    updatedAt: isoInstant(own.updatedAt),
    next: next && { ...next, rails: [...next.rails], usableFrom: isoInstant(next.usableFrom) },
  };
}

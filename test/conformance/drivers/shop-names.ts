import { PROCESSOR_NAMES, type ProcessorName } from '../../../lib/processors/processor-name.ts'

const CLASSIC_MOLLIE = 'mollie, classic webhooks only'

/** Each processor once, and Mollie again with only the webhooks that need no setup, which are unsigned. */
export const SHOP_NAMES = [...PROCESSOR_NAMES, CLASSIC_MOLLIE] as const
export type ShopName = (typeof SHOP_NAMES)[number]

/** The processor of a shop, and its credentials that the owner has not set. */
export const getProcessor = (name: ShopName): { acquiring: ProcessorName; unset: string[] } =>
  name === CLASSIC_MOLLIE ? { acquiring: 'mollie', unset: ['webhookSecret'] } : { acquiring: name, unset: [] }

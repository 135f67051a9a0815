import { apiKeyMode } from '../../cli/paywall-file/keys-and-webhooks.ts'

/**
 * An owner key as the local world prints it. A live key is masked: it may come from the environment and belong to a real installation,
 * and output stays in terminals, logs and screenshots.
 */
export const printableKey = (secret: string): string =>
  apiKeyMode(secret) === 'live' ? 'pk_live_…, not shown' : secret

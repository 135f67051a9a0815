import { apiKeyMode } from '../../cli/paywall-file/keys-and-webhooks.ts'

/**
 * An owner key as the local world shows it. A live one may be that of a real installation, from the environment, and what is printed
 * stays in terminals, logs and screenshots: of it only the mode is shown. Whoever wrote it into the file or the environment has it.
 */
export const shownKey = (secret: string): string => (apiKeyMode(secret) === 'live' ? 'pk_live_…, not shown' : secret)

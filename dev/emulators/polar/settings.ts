import * as z from 'zod'
import { accountSetting } from '../core/controls/settings.ts'

/* What an organisation has set in its dashboard. */

/** Whether a customer may have several subscriptions. */
export const MULTIPLE_SUBSCRIPTIONS = accountSetting('allowed', z.boolean(), true)

/** The scopes that the token was made without. */
export const LACKING_SCOPES = accountSetting('scopes', z.array(z.string()), [])

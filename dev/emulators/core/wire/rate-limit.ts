import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import type { AccountContext } from '../domain/context.ts'

const Limit = z.strictObject({ calls: z.int().min(1), seconds: z.int().min(1) })
type Limit = z.output<typeof Limit>

/** `usual`: the processor's limit. */
const Setting = z.union([Limit, z.literal(['usual', 'none'])])

/** A limit of calls per account in a window of the account's time. A window begins with a call. */
export function rateLimit(usual: Limit) {
  const { read, control } = accountSetting('limit', Setting, 'usual')

  /** Counts the calls of an emulator. `isOn`: whether accounts have the usual limit. */
  function counter(isOn: boolean) {
    const windows = new Map<string, { from: number; calls: number }>()

    /** Counts a call. Returns the seconds to wait if it exceeds the limit, otherwise null. */
    return (context: AccountContext): number | null => {
      const { now, account } = context
      const set = read(context)
      const limit = set !== 'usual' ? set : isOn ? usual : 'none'
      if (limit === 'none') return null
      const known = windows.get(account.id)
      const window = known && now < known.from + limit.seconds ? known : { from: now, calls: 0 }
      windows.set(account.id, window)
      window.calls += 1
      return window.calls > limit.calls ? window.from + limit.seconds - now : null
    }
  }

  return { counter, control }
}

export type RateLimit = Pick<ReturnType<typeof rateLimit>, 'counter'>

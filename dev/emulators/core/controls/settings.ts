import * as z from 'zod'
import { type AccountContext, accountRecord } from '../domain/context.ts'
import type { Records } from '../domain/records.ts'
import type { RecordControl } from './controls.ts'

/**
 * A setting of an account in the processor's dashboard. `get` and `read` return its value, and `set` changes it; `control` does so for
 * the account of a paywall, with the setting's name as the option: `{"paywall": "1001", "enabled": false}`.
 *
 * @param defaultValue the value of an account for which it was never set
 */
export function accountSetting<Schema extends z.ZodType>(name: string, schema: Schema, defaultValue: z.output<Schema>) {
  const options = z.strictObject({ [name]: schema })
  const change = (records: Records, accountId: string, input: Record<string, unknown>) => {
    const record = accountRecord(records, accountId)
    record.own = { ...record.own, ...z.record(z.string(), z.json()).parse(options.parse(input)) }
  }
  const set = (records: Records, accountId: string, value: z.input<Schema>) =>
    change(records, accountId, { [name]: value })
  const control: RecordControl<z.input<Schema>> = {
    field: 'paywall',
    toOptions: (value) => ({ [name]: value }),
    async run(store, paywallId, input) {
      const accountId = store.getAccount(paywallId)
      change(store.state.records, accountId, input)
      await store.state.save()
      return { id: accountId, ...input }
    },
  }
  const get = (records: Records, accountId: string): z.output<Schema> => {
    const { [name]: value } = accountRecord(records, accountId).own
    return value === undefined ? defaultValue : schema.parse(value)
  }
  const read = ({ records, account }: AccountContext) => get(records, account.id)
  return { get, read, set, control }
}

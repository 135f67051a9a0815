import * as z from 'zod'
import { type AccountContext, accountRecord } from '../domain/context.ts'
import type { RecordControl } from './controls.ts'

/**
 * A setting of an account in the processor's dashboard. `read` returns its value; `control` sets it for the account of a paywall,
 * with the setting's name as the option: `{"paywall": "1001", "enabled": false}`.
 *
 * @param defaultValue the value of an account for which it was never set
 */
export function accountSetting<Schema extends z.ZodType>(name: string, schema: Schema, defaultValue: z.output<Schema>) {
  const options = z.strictObject({ [name]: schema })
  const control: RecordControl<z.input<Schema>> = {
    field: 'paywall',
    toOptions: (value) => ({ [name]: value }),
    async run(store, paywallId, input) {
      const { records, account } = store.contextFor(store.getAccount(paywallId))
      const record = accountRecord(records, account.id)
      record.own = { ...record.own, ...z.record(z.string(), z.json()).parse(options.parse(input)) }
      await store.state.save()
      return { id: account.id, ...input }
    },
  }
  const read = ({ records, account }: AccountContext): z.output<Schema> => {
    const { [name]: set } = accountRecord(records, account.id).own
    return set === undefined ? defaultValue : schema.parse(set)
  }
  return { read, control }
}

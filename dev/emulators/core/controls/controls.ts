import * as z from 'zod'
import type { AccountContext } from '../domain/context.ts'
import type { Row, Table } from '../domain/records.ts'
import type { Store } from '../store.ts'

/** An object as the processor's API shows it. */
export type WireObject = { id: string } & Record<string, unknown>

/**
 * An operation on a record or an account, whose id is in `field` of the request's body. `Given` is the second argument of the
 * emulator's method, which has the control's name.
 */
export interface RecordControl<Given = never> {
  field: string
  toOptions(given: Given | undefined): Record<string, unknown>
  /** Throws a ZodError for unknown or invalid options. */
  run(store: Store, id: string, options: Record<string, unknown>): Promise<WireObject>
}

/** The methods for the controls: `renew(id, { fail: true })`. */
export type ControlMethods<Controls> = {
  [Name in keyof Controls]: Controls[Name] extends RecordControl<infer Given>
    ? (id: string, given?: Given) => Promise<WireObject>
    : never
}

/** A control with options. */
export function onRecord<Name extends Table, Shape extends z.ZodRawShape>(
  field: string,
  table: Name,
  shape: Shape,
  apply: (context: AccountContext, record: Row<Name>, options: z.output<z.ZodObject<Shape>>) => { id: string },
): RecordControl<z.input<z.ZodObject<Shape>>> {
  const schema = z.strictObject(shape)
  return {
    field,
    toOptions: (given) => given ?? {},
    async run(store, id, options) {
      const parsed = schema.parse(options)
      return store.change(table, id, (context, record) => apply(context, record, parsed))
    },
  }
}

/** A control with one option, which is the method's second argument: `refund(id, 100)`. */
export function onRecordWith<Name extends Table, Option extends z.ZodType>(
  field: string,
  table: Name,
  [name, option]: [string, Option],
  apply: (context: AccountContext, record: Row<Name>, value: z.output<Option>) => { id: string },
): RecordControl<z.input<Option>> {
  const control = onRecord(field, table, { [name]: option }, (context, record, options) =>
    apply(context, record, option.parse(options[name])),
  )
  return { ...control, toOptions: (value) => ({ [name]: value }) }
}

/** A control that changes a record and shows it. */
export const changing = <Name extends Table>(
  field: string,
  table: Name,
  change: (context: AccountContext, record: Row<Name>) => Row<Name>,
): RecordControl<object> =>
  onRecord(field, table, {}, (context, record) => context.show(table, change(context, record)))

/** The option of a control that can fail: `{"fail": true}`. */
export const fails = { fail: z.boolean().default(false) }

/** A control that makes a record succeed, or with `fail` fail, and shows it. */
export const deciding = <Name extends Table>(
  field: string,
  table: Name,
  decide: (context: AccountContext, record: Row<Name>, succeeds: boolean) => Row<Name>,
) => onRecord(field, table, fails, (context, record, { fail }) => context.show(table, decide(context, record, !fail)))

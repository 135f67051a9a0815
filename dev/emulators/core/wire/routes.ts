import * as z from 'zod'
import { type AccountContext, find } from '../domain/context.ts'
import { findPage } from '../domain/pages.ts'
import { findPayment } from '../domain/payment-pages.ts'
import type { Row, Table } from '../domain/records.ts'
import type { Execution } from '../processor.ts'

/**
 * Parses a call's parameters with a schema. The result is a function, because some processors parse before anything runs, and
 * others when it is called.
 */
export type Parse = <Schema extends z.ZodType>(schema: Schema) => () => z.output<Schema>

/** A route of an API. In its path `:id` matches one segment, `:id+` one or more, for ids with slashes. */
export interface Route {
  method: string
  path: string
  prepare(parse: Parse, ids: string[]): Execution
}

/** The schema for calls without parameters. */
export const Nothing = z.strictObject({})

/** The ids in a path, in order; empty if the path has fewer. */
export type Ids = [string, string]

/** `show` formats the result of `run`. */
export function route<Schema extends z.ZodType, Made extends object>(
  method: string,
  path: string,
  schema: Schema,
  run: (context: AccountContext, parameters: z.output<Schema>, ids: Ids) => Made,
  show: (made: Made, context: AccountContext) => object = (made) => made,
): Route {
  return {
    method,
    path,
    prepare(parse, [first = '', second = '']) {
      const parameters = parse(schema)
      return (context) => show(run(context, parameters(), [first, second]), context)
    },
  }
}

/** A response with a record as the processor shows it. */
export const asRecord =
  <Name extends Table>(table: Name) =>
  (record: Row<Name>, context: AccountContext) =>
    context.show(table, record)

type Show<Name extends Table> = (record: Row<Name>, context: AccountContext) => object

/** A route that creates a record and shows it. */
export const create = <Name extends Table, Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  table: Name,
  run: (context: AccountContext, parameters: z.output<Schema>, ids: Ids) => Row<Name>,
): Route => route('POST', path, schema, run, asRecord(table))

/** A route that shows the result of `find` for the ids in its path. */
export const read = <Found extends object>(
  path: string,
  find: (context: AccountContext, ...ids: Ids) => Found,
  show?: (found: Found, context: AccountContext) => object,
): Route => route('GET', path, Nothing, (context, _, ids) => find(context, ...ids), show)

/** A route that shows the record in its path. */
export const retrieve = <Name extends Table>(path: string, table: Name, show: Show<Name> = asRecord(table)): Route =>
  read(path, (context, id) => named(context, table, id), show)

/** A route that changes the record in its path and shows it. */
export const act = <Name extends Table, Schema extends z.ZodType>(
  method: string,
  path: string,
  schema: Schema,
  table: Name,
  run: (context: AccountContext, record: Row<Name>, parameters: z.output<Schema>) => Row<Name>,
  show: Show<Name> = asRecord(table),
): Route => route(method, path, schema, (context, given, [id]) => run(context, named(context, table, id), given), show)

/** Lookups for records that expire. */
const ENDING: { [Name in Table]?: (context: AccountContext, id: string) => Row<Name> } = {
  pages: findPage,
  payments: findPayment,
}

/** The record in a path, updated if it has expired. */
function named<Name extends Table>(context: AccountContext, table: Name, id: string): Row<Name> {
  const findEnding: (typeof ENDING)[Name] = ENDING[table]
  return findEnding ? findEnding(context, id) : find(context, table, id)
}

/** Prepares the first route that matches a call's method and path; undefined if none matches. */
export function prepareRoute(
  routes: Route[],
  { method, path }: { method: string; path: string },
  parse: Parse,
): Execution | undefined {
  for (const candidate of routes) {
    const ids = candidate.method === method ? matchPath(candidate.path, path) : null
    if (ids) return candidate.prepare(parse, ids)
  }
  return undefined
}

/** The values of `:id` and `:id+` in a path, in order; null if the path does not match. */
function matchPath(pattern: string, path: string): string[] | null {
  const parts = pattern.split('/').map((part) => WILDCARDS[part] ?? part.replaceAll('.', '\\.'))
  return new RegExp(`^${parts.join('/')}$`).exec(path)?.slice(1) ?? null
}

const WILDCARDS: Record<string, string> = { ':id': '([^/]*)', ':id+': '(.+?)' }

import * as z from 'zod'
import { isFromHere } from '../from-here.ts'
import type { HttpRequest, HttpResponse } from '../server.ts'
import type { Store } from '../store.ts'
import { EmulatorError } from '../wire/emulator-error.ts'
import type { RecordControl } from './controls.ts'

/** Controls over HTTP, for example with curl. The key `POST renew` stands for `POST /_emulator/renew`. */
export type HttpControls = Record<string, (body: unknown) => unknown>

/** The method and path of each control. */
export const listAddresses = (controls: HttpControls) =>
  Object.keys(controls).map((name) => name.replace(' ', ' /_emulator/'))

/** Converts a name for a path: `payLater` to `pay-later`. */
export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const httpControl =
  <Body extends z.ZodType>(schema: Body, run: (body: z.output<Body>) => unknown) =>
  (body: unknown) =>
    run(schema.parse(body))

/** An HTTP control of a record: the body has the record's id and the options. */
export const recordControl = (store: Store, { field, run }: RecordControl) =>
  httpControl(z.looseObject({ [field]: z.string() }), ({ [field]: id, ...options }) => run(store, String(id), options))

/** Runs a control. Answers 400 with an explanation for an invalid body, and 403 to other origins. */
export async function runControl(controls: HttpControls, request: HttpRequest): Promise<HttpResponse> {
  if (!isFromHere(request.headers)) return json(403, { error: 'not_from_here' })
  const run = controls[`${request.method} ${request.path.replace('/_emulator/', '')}`]
  if (!run) return json(404, { error: 'unknown_control', controls: Object.keys(controls) })
  try {
    return json(200, (await run(readJson(request.body))) ?? {})
  } catch (error) {
    if (error instanceof EmulatorError) return json(error.status, { error: error.message })
    if (error instanceof z.ZodError) return json(400, { error: z.prettifyError(error) })
    throw error
  }
}

function readJson(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text)
  } catch {
    throw new EmulatorError(400, 'The body is not JSON.')
  }
}

const json = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: `${JSON.stringify(body, null, 2)}\n`,
})

import * as z from 'zod'
import { isFromHere } from '../from-here.ts'
import type { HttpRequest, HttpResponse } from '../server.ts'
import type { Store } from '../store.ts'
import { EmulatorError } from '../wire/emulator-error.ts'
import type { RecordControl } from './controls.ts'

/** What a person makes happen with curl; the key `POST renew` is reached by `POST /_emulator/renew`. */
export type HandControls = Record<string, (body: unknown) => unknown>

/** Method and path of each control. */
export const listAddresses = (controls: HandControls) =>
  Object.keys(controls).map((name) => name.replace(' ', ' /_emulator/'))

/** The part of a path that stands for a name: `payLater` is `pay-later` there. */
export const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export const byHand =
  <Body extends z.ZodType>(schema: Body, run: (body: z.output<Body>) => unknown) =>
  (body: unknown) =>
    run(schema.parse(body))

/** A control of a record, by hand: its body has the record's id and the options. */
export const recordByHand = (store: Store, { field, run }: RecordControl) =>
  byHand(z.looseObject({ [field]: z.string() }), ({ [field]: id, ...options }) => run(store, String(id), options))

/** Runs the control that a request names. A body with a mistake gets a 400 that says what is expected; a page elsewhere, a 403. */
export async function runControl(controls: HandControls, request: HttpRequest): Promise<HttpResponse> {
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

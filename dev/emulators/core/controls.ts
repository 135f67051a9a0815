import * as z from 'zod'
import { EmulatorError } from './emulator-error.ts'
import type { HttpRequest, HttpResponse } from './server.ts'

/** Makes one thing happen at an emulator; `body` says what exactly. */
export type Control<Emulator> = (emulator: Emulator, body: unknown) => unknown

/** What a person can make happen with curl: the key `POST renew` is reached by `POST /_emulator/renew`. */
export type Controls<Emulator> = Record<string, Control<Emulator>>

/** Method and path of each control. */
export const addresses = (controls: Controls<never>) =>
  Object.keys(controls).map((name) => name.replace(' ', ' /_emulator/'))

export function control<Emulator, Body extends z.ZodType>(
  schema: Body,
  run: (emulator: Emulator, body: z.output<Body>) => unknown,
): Control<Emulator> {
  return (emulator, body) => run(emulator, schema.parse(body))
}

/** Runs the control that a request names. A body with a mistake gets a 400 that says what is expected. */
export async function runControl<Emulator>(
  controls: Controls<Emulator>,
  emulator: Emulator,
  request: HttpRequest,
): Promise<HttpResponse> {
  const run = controls[`${request.method} ${request.path.replace('/_emulator/', '')}`]
  if (!run) return json(404, { error: 'unknown_control', controls: Object.keys(controls) })
  try {
    return json(200, (await run(emulator, readJson(request.body))) ?? {})
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

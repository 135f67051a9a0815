import type { Browser } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import type { FileOverrides } from '../support/paywall-file.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'
import { DEMO_PAYWALL } from './demo-paywall.ts'

/** A world, and a browser for its pages. The caller closes both. */
export interface Pages {
  world: TestWorld
  browser: Browser
  close(): Promise<void>
}

/** Sells the demo's paywall by default. */
export async function startPages(file: FileOverrides = { paywall: DEMO_PAYWALL }): Promise<Pages> {
  await using started = new AsyncDisposableStack()
  const world = started.adopt(await startTestWorld({ file }), (each) => each.close())
  const browser = started.adopt(await openBrowser(), (each) => each.close())
  const running = started.move()
  return { world, browser, close: () => running.disposeAsync() }
}

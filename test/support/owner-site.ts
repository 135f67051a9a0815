import { createServer } from 'node:http'
import { close, listen } from '../../dev/emulators/core/listen.ts'
import type { TestWorld } from './world.ts'

/** An owner's site: a page that is the same at every path, and scripts by their paths. The caller closes it. */
export async function startOwnerSite(
  html: string,
  scripts: Record<string, string>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(({ url = '' }, response) => {
    const script = scripts[url]
    const type = script === undefined ? 'text/html' : 'text/javascript'
    // A frame with an opaque origin loads scripts cross-origin.
    response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' })
    response.end(script ?? html)
  })
  return { url: await listen(server, 0), close: () => close(server) }
}

/** Lists a site among those that buyers of the world's paywall may return to without confirmation. */
export async function listSite({ apply, file }: TestWorld, url: string): Promise<void> {
  const [sold, ...others] = file.paywalls
  if (!sold) throw new Error('the world has no paywall')
  const settings = { ...sold.settings, redirect_origins: [new URL(url).origin] }
  await apply({ ...file, paywalls: [{ ...sold, settings }, ...others] })
}

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import packed from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const CACHE = join(import.meta.dirname, '../../node_modules/.cache')
const UNPACKED = join(CACHE, 'chromium')

/**
 * A headless Chromium, which the caller closes: the one from npm, or an installed Chrome on machines that npm's does not support.
 * It resolves every host below `localhost` to this machine. It runs without the switches that the package proposes:
 * with them all pages share a process, which ends when the first page is closed, and the same-origin policy is off.
 */
export async function openBrowser(): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return chromium.launch({ channel: 'chrome' })
  if (!existsSync(UNPACKED)) await unpack()
  const env = { ...process.env, FONTCONFIG_PATH: join(UNPACKED, 'fonts') }
  return chromium.launch({ executablePath: join(UNPACKED, 'chromium'), env })
}

/**
 * Unpacks next to the target and renames it in one step, since several test processes may unpack at once. The package expects its
 * fonts in /tmp, so its configuration is given the actual path.
 */
async function unpack(): Promise<void> {
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(`${UNPACKED}-`)
  const { TMPDIR } = process.env
  process.env.TMPDIR = folder
  try {
    await packed.executablePath()
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = TMPDIR
  }
  const fonts = join(folder, 'fonts/fonts.conf')
  writeFileSync(fonts, readFileSync(fonts, 'utf8').replaceAll('/tmp/fonts', join(UNPACKED, 'fonts')))
  try {
    renameSync(folder, UNPACKED)
  } catch (error) {
    if (!existsSync(join(UNPACKED, 'chromium'))) throw error
    rmSync(folder, { recursive: true })
  }
}

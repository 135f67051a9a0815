import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT } from '../contenders/git.ts'
import type { Options } from '../options.ts'

const FOLDER = join(ROOT, '.local/bench')

/** How many processes wanted a core in the minute before the run: what else the machine does is in every figure. */
const [BUSY_BEFORE = 0] = loadavg()

/** What every result says of where it comes from. */
export function origin(options: Options, commits: Record<string, string>) {
  const [cpu] = cpus()
  return {
    what: options.what,
    date: options.date,
    commits,
    machine: {
      cores: cpus().length,
      cpu: cpu?.model ?? 'unknown',
      memory_gb: Math.round(totalmem() / 2 ** 30),
      platform: `${process.platform} ${process.arch}`,
      node: process.version,
      load_average_before: Math.round(BUSY_BEFORE * 10) / 10,
    },
    rounds: options.rounds,
    seconds_a_round: options.seconds,
  }
}

/** What to say before a run on a machine that has other work; null if it has hardly any. */
export function busyWarning(): string | null {
  if (BUSY_BEFORE < cpus().length / 2) return null
  return `the machine is busy: a load average of ${BUSY_BEFORE.toFixed(1)} on ${cpus().length} cores. Milliseconds will be too large`
}

/**
 * Writes a result, or a picture of it, and returns its path. The name has the time of the run, and a file that exists is never
 * overwritten.
 */
export function writeResult(options: Options, extension: 'json' | 'svg', content: string): string {
  mkdirSync(FOLDER, { recursive: true })
  const against = options.against === undefined ? '' : `-against-${options.against.replaceAll(/[^\w.-]/g, '_')}`
  const path = join(FOLDER, `${options.date.replaceAll(':', '-')}-${options.what}${against}.${extension}`)
  writeFileSync(path, content, { flag: 'wx' })
  return relative(process.cwd(), path)
}

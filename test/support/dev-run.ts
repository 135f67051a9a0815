import { type ChildProcess, exec, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from './until.ts'

const ROOT = join(import.meta.dirname, '../..')
const shell = promisify(exec)
const READY_TIMEOUT_MS = 60_000
/** As it is said to a person, and with --json. */
const READY = /^(ready http|{"type":"ready")/m

/** A running `npm run dev`. */
export interface DevRun {
  process: ChildProcess
  /** All that it has printed. */
  output(): string
  /** Sends the signal to npm alone and waits for its end. */
  end(signal: NodeJS.Signals): Promise<void>
}

export interface DevOptions {
  /** Where it keeps its data. */
  folder: string
  args: string[]
}

/** Runs `npm run dev` as a person does, and waits for its `ready` line. */
export async function startDev(options: DevOptions): Promise<DevRun> {
  const child = spawn('npm', ['run', 'dev', '--', ...options.args], {
    cwd: ROOT,
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // in a process group of its own, as in a terminal
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
  const run: DevRun = {
    process: child,
    output: () => output,
    async end(signal) {
      const gone = once(child, 'exit')
      child.kill(signal)
      await gone
    },
  }
  await until('ready', async () => READY.test(output) || endedEarly(child, output), READY_TIMEOUT_MS)
  return run
}

/** The address that the curl lines buy as. */
export function buyerOf(run: DevRun): string {
  const [, email] = /"email":"([^"]+)"/.exec(run.output()) ?? []
  if (!email) throw new Error(`no line buys:\n${run.output()}`)
  return email
}

/** Runs the curl lines as printed, or for another buyer: their JSON. */
export async function pasteCurls(run: DevRun, email = buyerOf(run)): Promise<Record<string, unknown>[]> {
  const lines = run.output().match(/^curl .*$/gm) ?? []
  const replies = []
  for (const line of lines) replies.push(JSON.parse((await shell(line.replace(buyerOf(run), email))).stdout))
  return replies
}

/** Pays on the hosted page of a checkout, as a browser does: back to the service, and to where that sends it. */
export async function pay(checkout: Record<string, unknown> | undefined, service: string): Promise<string | null> {
  const body = new URLSearchParams({ action: 'pay', email: 'buyer@acme.dev' })
  const paid = await fetch(String(checkout?.checkoutUrl), { method: 'POST', body, redirect: 'manual' })
  let next = paid.headers.get('location')
  while (next?.startsWith(service)) next = (await fetch(next, { redirect: 'manual' })).headers.get('location')
  return next
}

/** Runs the command where it is not expected to start. */
export function failedDev(options: DevOptions): Promise<{ code: unknown; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const args = [join(ROOT, 'dev/world/main.ts'), ...options.args]
    execFile(process.execPath, args, { cwd: ROOT, env: environment(options) }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })
}

function endedEarly(child: ChildProcess, output: string): false {
  if (child.exitCode === null) return false
  throw new Error(`npm run dev ended with ${child.exitCode}:\n${output}`)
}

/** Without what npm told the test run about itself. */
function environment({ folder }: DevOptions): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|VITEST|DATABASE_URL$)/i.test(name))
  return { ...Object.fromEntries(own), PAYWALL_LOCAL_DIR: folder }
}

/** Whether a process is there, and not just waiting to be collected by its parent. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

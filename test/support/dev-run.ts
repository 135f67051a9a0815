import { type ChildProcess, exec, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from './until.ts'

const ROOT = join(import.meta.dirname, '../..')
const shell = promisify(exec)
const READY_TIMEOUT_MS = 60_000
/** The line `ready`, as text and with --json. */
const READY = /^(ready http|{"type":"ready")/m

/** A running `npm run dev`. */
export interface DevRun {
  process: ChildProcess
  /** Everything printed so far. */
  output(): string
  /** Sends the signal to npm only, and waits for the process to exit. */
  end(signal: NodeJS.Signals): Promise<void>
}

export interface DevOptions {
  /** Its data folder. */
  folder: string
  args: string[]
}

/** Runs `npm run dev` as a developer does, and waits for its `ready` line. */
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

/** The e-mail address in the curl examples. */
export function getBuyer(run: DevRun): string {
  const [, email] = /"email":"([^"]+)"/.exec(run.output()) ?? []
  if (!email) throw new Error(`no line buys:\n${run.output()}`)
  return email
}

/** Runs the curl examples as printed, or for another buyer. Returns the JSON of each. */
export async function pasteCurls(run: DevRun, email = getBuyer(run)): Promise<Record<string, unknown>[]> {
  const lines = run.output().match(/^curl .*$/gm) ?? []
  const replies = []
  for (const line of lines) replies.push(JSON.parse((await shell(line.replace(getBuyer(run), email))).stdout))
  return replies
}

/** Pays on the hosted page of a checkout as a browser does: back to the service, and on to where it redirects, which may be a site there. */
export async function pay(checkout: Record<string, unknown> | undefined, service: string): Promise<string | null> {
  const body = new URLSearchParams({ action: 'pay', email: 'buyer@acme.dev' })
  const paid = await fetch(String(checkout?.checkoutUrl), { method: 'POST', body, redirect: 'manual' })
  let next = paid.headers.get('location')
  while (next?.startsWith(service) && !next.startsWith(`${service}/p/`))
    next = (await fetch(next, { redirect: 'manual' })).headers.get('location')
  return next
}

/** Runs the command when it is expected not to start. */
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

/** The environment without the variables that npm set for the test run. */
function environment({ folder }: DevOptions): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD$|VITEST|DATABASE_URL$)/i.test(name))
  return { ...Object.fromEntries(own), PAYWALL_LOCAL_DIR: folder }
}

/** Whether a process is running, and not a zombie that its parent has yet to reap. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

import { execFile } from 'node:child_process'

/** `paywall ledger verify` as a person runs it, in a process of its own. */
export function verifyLedger(databaseUrl: string): Promise<{ code: number | string; out: string; err: string }> {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl }
  return new Promise((resolve) => {
    execFile(process.execPath, ['cli/main.ts', 'ledger', 'verify'], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

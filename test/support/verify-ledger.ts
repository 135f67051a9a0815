import { execFile } from 'node:child_process'

/** Runs `paywall ledger verify` in its own process, as an operator does. */
export function verifyLedger(databaseUrl: string): Promise<{ code: number | string; out: string; err: string }> {
  const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrl }
  return new Promise((resolve) => {
    execFile(process.execPath, ['cli/main.ts', 'ledger', 'verify'], { env }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

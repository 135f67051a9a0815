import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHistory } from '../sim/history.ts'
import { reportJson } from '../sim/report.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Runs a program in its own process. */
function run(path: string, ...args: string[]): Promise<{ code: unknown; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { cwd: ROOT }, (error, out, err) => {
      resolve({ code: error?.code ?? 0, out, err })
    })
  })
}

describe('with --json only JSON is printed:', () => {
  test('the simulation prints a line for each seed', async () => {
    const { code, out } = await run('test/sim/main.ts', '--lives', '1', '--seeds', '2', '--keep', '0:0', '--json')
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { seed: 1, lives: 1, seconds: expect.any(Number), held: true, broken: null },
      { seed: 2, lives: 1, seconds: expect.any(Number), held: true, broken: null },
    ])
  })

  test.each([
    ['bench/main.ts', '--secnods', ['unknown option --secnods: did you mean --seconds?', expect.any(String)]],
    ['test/sim/main.ts', '--life', ['unknown option --life: did you mean --lives?', expect.any(String)]],
    ['dev/world/scenario/main.ts', 'refnud', ['there is no scenario refnud: did you mean refund?']],
    ['dev/world/main.ts', '--prot', ['unknown option --prot: did you mean --port?', expect.any(String)]],
  ])('%s reports the error as JSON, and fails', async (path, word, errors) => {
    const { code, out, err } = await run(path, word, '--json')
    expect({ code, err }).toEqual({ code: 1, err: '' })
    expect(JSON.parse(out)).toEqual({ errors })
  })

  test('a failing history is printed with the command that replays it', () => {
    const history = createHistory(7, 2)
    const faults = new Map([
      [-1, ['a Worker failed']],
      [1, ['paid, and has no access']],
    ])
    expect(reportJson({ history, faults }, { lives: 2, processor: undefined })).toEqual({
      faults: [
        { life: null, faults: ['a Worker failed'] },
        { life: 1, faults: ['paid, and has no access'] },
      ],
      lives: history.lives,
      kills: history.kills,
      play_again: 'npm run sim -- --seed 7 --lives 2',
    })
  })
})

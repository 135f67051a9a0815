import { createInterface } from 'node:readline/promises'

/** Asks for confirmation at the terminal. Only `yes` or `y` confirms; the end of the input does not. */
export async function confirm(
  question: string,
  { input, output }: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
): Promise<boolean> {
  const terminal = createInterface({ input, output })
  const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve('')))
  try {
    return /^y(es)?$/i.test((await Promise.race([terminal.question(`${question} (yes/no) `), ended])).trim())
  } finally {
    terminal.close()
  }
}

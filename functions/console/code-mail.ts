import { CODE_MINUTES } from '../../lib/auth/challenge.ts'

/** The mail with a code of the console. `to` is the address of a team's member, as its paywall file has it. */
export const writeCodeMail = (to: string, code: string, from: string) => {
  const shown = code.replace(/^.{4}/, '$& ')
  return {
    from: { name: 'Paywall console', email: from },
    to,
    subject: `${shown} is your code for the console`,
    text: [
      `Your code for the console is ${shown}.`,
      '',
      `This code expires in ${CODE_MINUTES} minutes and works once. Don't share it with anyone.`,
      "If you didn't ask for it, somebody knows your address and tried to sign in. Without the code they cannot.",
      '',
    ].join('\n'),
  }
}

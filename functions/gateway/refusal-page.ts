import type { sharedWords } from '../../lib/http/shared-words.ts'

/** Why the gateway itself refuses a request. */
export type Refusal = keyof typeof sharedWords & ('not_found' | 'rate_limited' | 'failed')

/** What a person is told: what has happened, what became of what was sent, and what to do. */
const SENTENCES: Readonly<Record<Refusal, readonly [title: string, text: string]>> = {
  not_found: ['There is no such page', 'Check the address, or go back to where you came from. Nothing was sent.'],
  rate_limited: [
    'That was too often',
    'Nothing was sent, and nothing was charged. Wait ten seconds, go back and try again.',
  ],
  failed: [
    'Something went wrong on our side',
    'What you sent may not have arrived. Go back, reload the page to see what it says now, and try again.',
  ],
}

/** A page that needs nothing else: it may load nothing, and has no style. */
export function refusalPage(refusal: Refusal): string {
  const [title, text] = SENTENCES[refusal]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>
</main>
</body>
</html>
`
}

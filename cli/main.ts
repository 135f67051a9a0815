import { enableCompileCache } from 'node:module'

// A command should answer at once: what it is made of is compiled the first time only.
enableCompileCache()
await import('./run.ts')

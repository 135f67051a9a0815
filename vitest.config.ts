import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/postgres.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // A file has a world of its own, on a database of its own: nothing is shared but the code, which is loaded once.
    isolate: false,
  },
})

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/postgres.ts',
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 3, // on two cores: some tests wait for a timeout or a restart
    // A file has a world of its own, on a database of its own. The code, and the Workers, are loaded once a process.
    isolate: false,
  },
})

/** Whether tests with many cases run all of them, as `npm run test:all` does, or a part, which is enough while one develops. */
export const FULL_SIZE = process.env.FULL_SIZE === 'yes'

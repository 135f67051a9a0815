/** Whether tests with many cases run all of them, as in `npm run test:all`, or a sample, which is enough during development. */
export const FULL_SIZE = process.env.FULL_SIZE === 'yes'

/** The common behaviour of both servers of the bench, so that only their implementation differs. */

/** The number of running answers, and the interval at which each grows. */
export const answerCount = 300
export const periodMs = 1_000

/** The current time in ms, which is comparable between processes of one machine. */
export const currentTimeMs = (): number => performance.timeOrigin + performance.now()

/** The data of an event, with its creation time. */
export const makeDelta = (time: number): { readonly offset: number; readonly text: string } => ({
  offset: 0,
  text: `${time.toFixed(3)} and some words of an answer, as many as one has`
})

/** Runs `send` for an answer once per period. The answers are distributed evenly over the period. */
export const runEveryPeriod = (answer: number, send: () => void): void => {
  setTimeout(() => setInterval(send, periodMs), (periodMs * answer) / answerCount)
}

/** The number of running answers. Each answer produces an event every `periodMs`. */
export const answerCount = 300
export const periodMs = 1_000

/** Returns the current time in ms, which is comparable between processes of one machine. */
export const currentTimeMs = (): number => performance.timeOrigin + performance.now()

export const makeDelta = (time: number): { readonly offset: number; readonly text: string } => ({
  offset: 0,
  text: `${time.toFixed(3)} and some words of an answer, as many as one has`
})

/** Runs `send` for an answer once per period, with the answers distributed evenly over the period. */
export const runEveryPeriod = (answer: number, send: () => void): void => {
  setTimeout(() => setInterval(send, periodMs), (periodMs * answer) / answerCount)
}

/** What both servers of the bench do alike, so that only how they do it differs. */

/** Answers that run, and how often each shows a little more. */
export const answers = 300
export const periodMs = 1_000

/** An instant that processes of one machine tell alike, in ms. */
export const instant = (): number => performance.timeOrigin + performance.now()

/** The data of an event: when it was given. */
export const deltaAt = (time: number): { readonly offset: number; readonly text: string } => ({
  offset: 0,
  text: `${time.toFixed(3)} and some words of an answer, as many as one has`
})

/** Has an answer show a little more each period, and all of them evenly one after the other. */
export const everyPeriod = (answer: number, tell: () => void): void => {
  setTimeout(() => setInterval(tell, periodMs), (periodMs * answer) / answers)
}

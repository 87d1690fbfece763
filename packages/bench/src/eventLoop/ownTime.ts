/**
 * Watches this thread in steps of a millisecond: what it computed between two of them, in its own time of the
 * processor, is what it held up others for, whatever else the machine did meanwhile.
 */
export const watchOwnTime = () => {
  let before = process.threadCpuUsage()
  let longestMs = 0
  const timer = setInterval(() => {
    const now = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (now.user + now.system - before.user - before.system) / 1_000)
    before = now
  }, 1)
  return () => {
    clearInterval(timer)
    return longestMs
  }
}

/**
 * Samples this thread's CPU time every millisecond. The CPU time between two samples is how long the thread blocked
 * others, whatever else the machine did.
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

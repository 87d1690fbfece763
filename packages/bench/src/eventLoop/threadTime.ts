/**
 * Samples this thread's CPU time every millisecond. The CPU time between two samples is how long the thread blocked
 * others, whatever else the machine did.
 */
export const sampleThreadTime = () => {
  let previous = process.threadCpuUsage()
  let maxBlockMs = 0
  const timer = setInterval(() => {
    const now = process.threadCpuUsage()
    maxBlockMs = Math.max(maxBlockMs, (now.user + now.system - previous.user - previous.system) / 1_000)
    previous = now
  }, 1)
  return () => {
    clearInterval(timer)
    return maxBlockMs
  }
}

/**
 * Samples the CPU time of the current thread every millisecond, and returns a function that ends the sampling and
 * returns the longest block in ms. The CPU time between two samples is the time for which the thread was blocked.
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

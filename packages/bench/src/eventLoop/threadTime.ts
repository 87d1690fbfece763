/**
 * Starts to sample the CPU time of the current thread. The returned function reports the longest time in ms that the
 * thread was blocked.
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

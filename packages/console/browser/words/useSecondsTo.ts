import { useEffect, useState } from "react"

/** Whole seconds until an instant, in ms since 1970, told anew each second; 0 once it is over. */
export const useSecondsTo = (at: number): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((at - now) / 1000))
}

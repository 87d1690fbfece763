import { useEffect, useState } from "react"

/** What this machine takes for now, in ms since 1970; told anew each minute, as far as anything here tells times. */
export const useNow = (): number => {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

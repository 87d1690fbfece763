import { type ReactNode, useEffect, useRef, useState } from "react"
import { useWords } from "../words/words.ts"
import styles from "./Sideways.module.css"
import { widgetWords } from "./words.ts"

/** Props of an element that scrolls: a named region with the focus of the keyboard and shadows at its edges. */
export const useScrollRegion = (label: string) => {
  const says = useWords(widgetWords)
  return { role: "region", "aria-label": says.scrollable(label), tabIndex: 0, "data-scrolls": true } as const
}

/** The class of an element with the props of `useScrollRegion`. */
export const sidewaysClass = styles["sideways"]!

/** Content that may be wider than the page. If it is, it scrolls sideways, and shadows show where it continues. */
export const Sideways = ({ children, className = "", label }: {
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) => {
  const region = useScrollRegion(label)
  const ref = useRef<HTMLDivElement>(null)
  const [isWide, setIsWide] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => setIsWide(element.scrollWidth > element.clientWidth + 1))
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [])
  return <div ref={ref} className={`${sidewaysClass} ${className}`} {...(isWide ? region : {})}>{children}</div>
}

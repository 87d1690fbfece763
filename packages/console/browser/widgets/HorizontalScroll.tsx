import { type ReactNode, useEffect, useRef, useState } from "react"
import { useTexts } from "../i18n/texts.ts"
import styles from "./HorizontalScroll.module.css"
import { widgetTexts } from "./texts.ts"

/** Props of an element that scrolls: a named region with the focus of the keyboard and shadows at its edges. */
export const useScrollRegion = (label: string) => {
  const texts = useTexts(widgetTexts)
  return { role: "region", "aria-label": texts.scrollable(label), tabIndex: 0, "data-scrolls": true } as const
}

/** The class of an element with the props of `useScrollRegion`. */
export const horizontalScrollClass = styles["sideways"]!

/** Content that may be wider than the page. If it is, it scrolls sideways, and shadows show where it continues. */
export const HorizontalScroll = ({ children, className = "", label }: {
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) => {
  const region = useScrollRegion(label)
  const ref = useRef<HTMLDivElement>(null)
  const [isOverflowing, setIsWide] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => setIsWide(element.scrollWidth > element.clientWidth + 1))
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={ref} className={`${horizontalScrollClass} ${className}`} {...(isOverflowing ? region : {})}>
      {children}
    </div>
  )
}

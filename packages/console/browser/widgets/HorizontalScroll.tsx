import { type ReactNode, useEffect, useRef, useState } from "react"
import { useTexts } from "../i18n/texts.ts"
import styles from "./HorizontalScroll.module.css"
import { widgetTexts } from "./texts.ts"

/**
 * Returns the props of a scrollable element: a named region that can receive keyboard focus and has shadows at the
 * edges.
 */
export const useScrollRegion = (label: string) => {
  const texts = useTexts(widgetTexts)
  return { role: "region", "aria-label": texts.scrollable(label), tabIndex: 0, "data-scrolls": true } as const
}

export const horizontalScrollClass = styles["sideways"]!

/** A container whose wide content scrolls horizontally, with shadows at the edges where content continues. */
export const HorizontalScroll = ({ children, className = "", label }: {
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) => {
  const region = useScrollRegion(label)
  const ref = useRef<HTMLDivElement>(null)
  const [isOverflowing, setIsOverflowing] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => setIsOverflowing(element.scrollWidth > element.clientWidth + 1))
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={ref} className={`${horizontalScrollClass} ${className}`} {...(isOverflowing ? region : {})}>
      {children}
    </div>
  )
}

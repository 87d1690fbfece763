import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react"
import { useWords } from "../words/words.ts"
import styles from "./Sideways.module.css"
import { widgetWords } from "./words.ts"

interface Region {
  readonly role?: "region"
  readonly "aria-label"?: string
  readonly tabIndex?: 0
  readonly "data-wide"?: true
}

/**
 * Makes an element that scrolls a named region with the focus of the keyboard, and marks it for the shadows at its
 * edges, for as long as its content is wider than itself.
 */
export const useSideways = (
  label: string
): { readonly ref: RefObject<HTMLDivElement | null>; readonly region: Region } => {
  const says = useWords(widgetWords)
  const ref = useRef<HTMLDivElement>(null)
  const [isWide, setIsWide] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => setIsWide(element.scrollWidth > element.clientWidth + 1))
    for (const one of [element, ...element.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [])
  return {
    ref,
    region: isWide ? { role: "region", "aria-label": says.sideways(label), tabIndex: 0, "data-wide": true } : {}
  }
}

/** The class of an element with the props of `useSideways`. */
export const sidewaysClass = styles["sideways"]!

/** Content that may be wider than the page: it scrolls sideways, and shadows show where it continues. */
export const Sideways = ({ children, className = "", label }: {
  readonly label: string
  readonly className?: string | undefined
  readonly children: ReactNode
}) => {
  const { ref, region } = useSideways(label)
  return <div ref={ref} className={`${sidewaysClass} ${className}`} {...region}>{children}</div>
}

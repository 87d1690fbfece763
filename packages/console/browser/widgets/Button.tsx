import { Button as Pressed, type ButtonProps as PressedProps } from "react-aria-components"
import styles from "./Button.module.css"

export interface ButtonProps extends Omit<PressedProps, "className" | "style" | "isPending"> {
  /** What is to be done next on the page is `primary`; one a page at most. */
  readonly look?: "primary" | "plain" | "quiet" | "danger" | undefined
  /** What it began still runs: it can be reached, and does nothing. */
  readonly isBusy?: boolean | undefined
  /** As wide as it is high, for an icon alone: then it needs an `aria-label`. */
  readonly isSquare?: boolean | undefined
}

// (The library's own pending state announces itself by an element that is gone by the time it is read.)
export const Button = ({ isBusy = false, isSquare = false, look = "plain", onPress, type, ...rest }: ButtonProps) => (
  <Pressed
    {...rest}
    type={isBusy ? "button" : type ?? "button"}
    {...(isBusy || onPress === undefined ? {} : { onPress })}
    {...(isBusy ? { "data-busy": true } : {})}
    className={`${styles["button"]} ${styles[look]} ${isSquare ? styles["square"] : ""}`}
  />
)

import { X } from "lucide-react"
import {
  Button,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion
} from "react-aria-components"
import { useTexts } from "../i18n/texts.ts"
import { widgetTexts } from "./texts.ts"
import styles from "./toasts.module.css"

interface ToastContentProps {
  readonly variant: "good" | "bad"
  readonly text: string
}

const queue = new ToastQueue<ToastContentProps>({ maxVisibleToasts: 3 })

/** Shows a toast that disappears automatically. A toast reports an action whose control is no longer visible. */
export const showToast = (text: string, variant: ToastContentProps["variant"] = "good"): void =>
  void queue.add({ variant, text }, { timeout: variant === "good" ? 5_000 : 10_000 })

export const Toasts = () => {
  const texts = useTexts(widgetTexts)
  return (
    <ToastRegion queue={queue} className={styles["region"]!}>
      {({ toast }) => (
        <Toast toast={toast} className={`${styles["toast"]} ${styles[toast.content.variant]}`}>
          <ToastContent className={styles["content"]}>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          <Button slot="close" className={`icon-button ${styles["close"]}`} aria-label={texts.close}>
            <X aria-hidden size={14} />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  )
}

import { X } from "lucide-react"
import {
  Button,
  Text,
  UNSTABLE_Toast as Toast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion
} from "react-aria-components"
import { useWords } from "../words/words.ts"
import styles from "./toasts.module.css"
import { widgetWords } from "./words.ts"

interface Told {
  readonly look: "good" | "bad"
  readonly text: string
}

const queue = new ToastQueue<Told>({ maxVisibleToasts: 3 })

/** Shows a message about an action whose place is no longer visible. The message disappears automatically. */
export const toast = (text: string, look: Told["look"] = "good"): void =>
  void queue.add({ look, text }, { timeout: look === "good" ? 5_000 : 10_000 })

/** The region of toasts, which the frame contains. */
export const Toasts = () => {
  const says = useWords(widgetWords)
  return (
    <ToastRegion queue={queue} className={styles["region"]!}>
      {({ toast }) => (
        <Toast toast={toast} className={`${styles["toast"]} ${styles[toast.content.look]}`}>
          <ToastContent className={styles["content"]}>
            <Text slot="title">{toast.content.text}</Text>
          </ToastContent>
          <Button slot="close" className={styles["close"]!} aria-label={says.close}>
            <X aria-hidden />
          </Button>
        </Toast>
      )}
    </ToastRegion>
  )
}

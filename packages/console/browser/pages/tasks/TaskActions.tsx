import { Ellipsis, MessagesSquare, Pause, Pencil, Play, Trash2 } from "lucide-react"
import { usePriced } from "../../asking/usePriced.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog, DialogActions } from "../../widgets/Dialog.tsx"
import forms from "../../widgets/forms.module.css"
import { Menu, MenuEntry } from "../../widgets/menus.tsx"
import { TroubleNote } from "../../widgets/states.tsx"
import { toast } from "../../widgets/toasts.tsx"
import { useWords } from "../../words/words.ts"
import type { Task } from "./asks.ts"
import { taskFormWords } from "./formWords.ts"
import { useChange, useDelete } from "./useTasks.ts"
import { taskWords } from "./words.ts"

/** Deletes a task, after an explanation of the consequences. */
export const DeleteDialog = ({ of: { id, title }, onClose, onDeleted }: {
  readonly of: Task
  readonly onClose: () => void
  readonly onDeleted?: (() => void) | undefined
}) => {
  const says = useWords(taskFormWords)
  const priced = usePriced()
  const { isRunning, run, trouble } = useDelete(() => {
    toast(says.deleted(title))
    onClose()
    onDeleted?.()
  })
  return (
    <Dialog title={says.deleteTitle(title)} isOpen onClose={onClose}>
      <p>{says.deleteMore}</p>
      <p className={forms["soft"]}>{says.deleteInstead}</p>
      {trouble !== undefined && <TroubleNote trouble={trouble} />}
      <DialogActions>
        <Button onPress={onClose}>{says.cancel}</Button>
        <Button look="danger" isBusy={isRunning} onPress={() => run(id)}>{priced(says.remove, "delete_task")}</Button>
      </DialogActions>
    </Dialog>
  )
}

/** Pauses or resumes a task, unless it is done. An error is shown in a dialog until the user closes it. */
const PauseButton = ({ isLong, task }: { readonly task: Task; readonly isLong: boolean }) => {
  const says = useWords(taskWords)
  const priced = usePriced()
  const isActive = task.status === "active"
  const pausing = useChange(({ task: now }) =>
    toast(now.status === "active" ? says.isActive(now.title) : says.isPaused(now.title))
  )
  if (task.status === "done") return null
  const label = priced(isActive ? says.pause : says.resume, "update_task")
  return (
    <>
      <Button
        look={isLong ? "plain" : "quiet"}
        isSquare={!isLong}
        isBusy={pausing.isRunning}
        {...(isLong ? {} : { "aria-label": isActive ? says.pauseOf(task.title) : says.resumeOf(task.title) })}
        onPress={() => pausing.run({ id: task.id, status: isActive ? "paused" : "active" })}
      >
        {isActive ? <Pause aria-hidden /> : <Play aria-hidden />}
        {isLong && label}
      </Button>
      {pausing.trouble !== undefined && (
        <Dialog title={label} isOpen onClose={pausing.forget}>
          <TroubleNote trouble={pausing.trouble} />
        </Dialog>
      )}
    </>
  )
}

/** The actions on a task. */
export const TaskActions = ({ act, isLong = false, task }: {
  readonly task: Task
  readonly act: (what: "change" | "delete") => void
  readonly isLong?: boolean
}) => {
  const says = useWords(taskWords)
  return (
    <>
      <PauseButton task={task} isLong={isLong} />
      <Menu
        label={says.more(task.title)}
        button={
          <Button look={isLong ? "plain" : "quiet"} isSquare aria-label={says.more(task.title)}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuEntry icon={<Pencil aria-hidden />} onAction={() => act("change")}>{says.change}</MenuEntry>
        <MenuEntry icon={<MessagesSquare aria-hidden />} href={`/analyst/${task.conversation_id}`}>
          {says.conversation}
        </MenuEntry>
        <MenuEntry icon={<Trash2 aria-hidden />} onAction={() => act("delete")}>{says.remove}</MenuEntry>
      </Menu>
    </>
  )
}

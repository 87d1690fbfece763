import { Ellipsis, MessagesSquare, Pause, Pencil, Play, Trash2 } from "lucide-react"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel } from "../../requests/catalogue.ts"
import { Button } from "../../widgets/Button.tsx"
import { Dialog } from "../../widgets/Dialog.tsx"
import { ConfirmDialog } from "../../widgets/forms.tsx"
import { Menu, MenuEntry } from "../../widgets/menus.tsx"
import { ProblemNote } from "../../widgets/states.tsx"
import { showToast } from "../../widgets/toasts.tsx"
import { taskFormTexts } from "./formTexts.ts"
import type { Task } from "./queries.ts"
import { taskTexts } from "./texts.ts"
import { useChangeTask, useDeleteTask } from "./useTasks.ts"

export const DeleteTaskDialog = ({ task: { id, title }, onClose, onDeleted }: {
  readonly task: Task
  readonly onClose: () => void
  readonly onDeleted?: (() => void) | undefined
}) => {
  const texts = useTexts(taskFormTexts)
  const pricedLabel = usePricedLabel()
  const deletion = useDeleteTask(() => {
    showToast(texts.deleted(title))
    onClose()
    onDeleted?.()
  })
  return (
    <ConfirmDialog
      title={texts.deleteTitle(title)}
      label={pricedLabel(texts.remove, "delete_task")}
      action={deletion}
      onConfirm={() => deletion.run(id)}
      onClose={onClose}
    >
      <p>{texts.deleteDetail}</p>
      <p className="soft small">{texts.deleteInstead}</p>
    </ConfirmDialog>
  )
}

/** The button that pauses or resumes a task, with a dialog that shows an error. */
const PauseButton = ({ hasLabels, task }: { readonly task: Task; readonly hasLabels: boolean }) => {
  const texts = useTexts(taskTexts)
  const pricedLabel = usePricedLabel()
  const isActive = task.status === "active"
  const pauseAction = useChangeTask(({ task: updatedTask }) =>
    showToast(updatedTask.status === "active" ? texts.isActive(updatedTask.title) : texts.isPaused(updatedTask.title))
  )
  if (task.status === "done") return null
  const label = pricedLabel(isActive ? texts.pause : texts.resume, "update_task")
  return (
    <>
      <Button
        variant={hasLabels ? "plain" : "quiet"}
        isSquare={!hasLabels}
        isBusy={pauseAction.isRunning}
        {...(hasLabels ? {} : { "aria-label": isActive ? texts.pauseOf(task.title) : texts.resumeOf(task.title) })}
        onPress={() => pauseAction.run({ id: task.id, status: isActive ? "paused" : "active" })}
      >
        {isActive ? <Pause aria-hidden /> : <Play aria-hidden />}
        {hasLabels && label}
      </Button>
      {pauseAction.problem !== undefined && (
        <Dialog title={label} isOpen onClose={pauseAction.reset}>
          <ProblemNote problem={pauseAction.problem} />
        </Dialog>
      )}
    </>
  )
}

export const TaskActions = ({ onAction, hasLabels = false, task }: {
  readonly task: Task
  readonly onAction: (what: "change" | "delete") => void
  readonly hasLabels?: boolean
}) => {
  const texts = useTexts(taskTexts)
  return (
    <>
      <PauseButton task={task} hasLabels={hasLabels} />
      <Menu
        label={texts.more(task.title)}
        button={
          <Button variant={hasLabels ? "plain" : "quiet"} isSquare aria-label={texts.more(task.title)}>
            <Ellipsis aria-hidden />
          </Button>
        }
      >
        <MenuEntry icon={<Pencil aria-hidden />} onAction={() => onAction("change")}>{texts.change}</MenuEntry>
        <MenuEntry icon={<MessagesSquare aria-hidden />} href={`/analyst/${task.conversation_id}`}>
          {texts.conversation}
        </MenuEntry>
        <MenuEntry icon={<Trash2 aria-hidden />} onAction={() => onAction("delete")}>{texts.remove}</MenuEntry>
      </Menu>
    </>
  )
}

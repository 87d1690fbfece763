/** How talk about a coin goes on, in a word. */
export const trajectories = ["surging", "rising", "steady", "fading", "collapsing"] as const
export type Trajectory = (typeof trajectories)[number]

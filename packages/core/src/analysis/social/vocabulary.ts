/** The minimum number of posts for an estimate of whether they are organic. */
export const minPosts = 50

/** The trajectories of the discussion of a coin. */
export const trajectories = ["surging", "rising", "steady", "fading", "collapsing"] as const
export type Trajectory = (typeof trajectories)[number]

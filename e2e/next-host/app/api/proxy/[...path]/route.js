import { createProxy } from "task-hub-next/proxy";

export const { GET, POST, PATCH, PUT, DELETE } = createProxy();

//! Functions that are called like the library's, in kernels.
#![allow(dead_code)]

/// A plain function of the user's, and a library's under another name.
mod plain {
    use super::own::mx as max;
    use syclone::prelude::*;

    fn min(a: i32, b: i32) -> i32 {
        a + b
    }

    fn fence(order: Order, scope: Scope) {
        let _ = (order, scope);
    }

    #[kernel]
    fn calls(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
        fence(Order::AcqRel, Scope::Device);
        out[item] = max(x[item], 3) + max(x[item], 4) + min(x[item], 5);
    }
}

mod own {
    pub fn mx<T: Copy>(a: T, _: T) -> T {
        a
    }
}

/// Generic ones, which take all that the library's take.
mod generic {
    use std::cmp::max;
    use syclone::prelude::*;

    fn min<T>(a: T, _: T) -> T {
        a
    }

    fn local<T>() -> u32 {
        5
    }

    #[device_fn]
    fn called(a: i32) -> i32 {
        max(a, 3) + min(a, 4)
    }

    #[kernel]
    fn calls(item: NdItem<1>, out: ItemMut<i32>) {
        let tile = local::<[i32; 4]>();
        tile[item.local_id(0)] = 1;
        out[item] = tile[item.local_id(0)];
    }
}

/// A device function is called by a path.
mod device {
    use syclone::prelude::*;

    #[device_fn]
    fn max(a: i32, b: i32) -> i32 {
        a * 100 + b
    }

    #[kernel]
    fn calls(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
        out[item] = max(x[item], 3) + self::max(x[item], 3);
    }
}

/// One of the library's under the name of another.
mod swapped {
    use syclone::prelude::min as max;
    use syclone::prelude::{Item, ItemMut, View, kernel};

    #[kernel]
    fn calls(item: Item<1>, x: View<i32>, out: ItemMut<i32>) {
        out[item] = max(x[item], 3);
    }
}

/// A variable around an inline kernel.
fn inline(queue: &syclone::Queue, out: &syclone::Buffer<i32>) {
    use syclone::prelude::*;
    let max = 3;
    let _ = queue.submit(|h| {
        let out = out.write(h);
        h.parallel_for(4, syclone::kernel!(|item: Item<1>| out[item] = max(2, 3)))
    });
    let _ = max;
}

/// A function that is generic in its result.
mod results {
    use syclone::prelude::*;

    fn local<T>() -> T {
        panic!("not the library's")
    }

    #[kernel]
    fn calls(item: NdItem<1>, out: ItemMut<i32>) {
        let tile = local::<[i32; 4]>();
        tile[item.local_id(0)] = 1;
        out[item] = tile[item.local_id(0)];
    }
}

fn main() {}

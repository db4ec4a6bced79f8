use syclone::prelude::*;

#[kernel]
fn saxpy(item: Item<1>, s: f32, x: View<f32>, y: View<f32>, out: ItemMut<f32>) {
    out[item] = s * x[item.global_id(0)] + y[item.global_id(0)];
}

#[kernel(work_group_size(B, B), fallback)]
fn gemm_tiled<const B: usize>(item: NdItem<2>, a: View<f32, 2>, b: View<f32, 2>, c: ItemMut<f32, 2>) {
    let tile_a = local::<[[f32; B]; B]>();
    let tile_b = local::<[[f32; B]; B]>();
    let (row, col) = (item.global_id(0), item.global_id(1));
    let (lr, lc) = (item.local_id(0), item.local_id(1));
    let mut sum = 0.0;
    for t in 0..a.extent(1) / B {
        tile_a[lr][lc] = a[[row, t * B + lc]];
        tile_b[lr][lc] = b[[t * B + lr, col]];
        item.barrier();
        for k in 0..B {
            sum += tile_a[lr][k] * tile_b[k][lc];
        }
        item.barrier();
    }
    c[item] = sum;
}

#[test]
fn saxpy_runs() {
    let device = Device::select("cpu").unwrap();
    let queue = Queue::new(&device).unwrap();
    let n = 1003;
    let x = Buffer::from_vec((0..n).map(|i| i as f32).collect::<Vec<_>>());
    let y = Buffer::from_vec((0..n).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
    let out = Buffer::<f32>::new(n);
    queue.submit(|h| h.parallel_for(n, saxpy(3.0, x.read(h), y.read(h), out.write(h)))).unwrap().wait().unwrap();
    let out = out.host_read().unwrap();
    for i in 0..n {
        assert_eq!(out[i], 5.0 * i as f32);
    }
}

#[test]
fn gemm_runs() {
    let device = Device::select("cpu").unwrap();
    let queue = Queue::new(&device).unwrap();
    let n = 64;
    let av: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32).collect();
    let bv: Vec<f32> = (0..n * n).map(|i| (i % 5) as f32).collect();
    for way in syclone::abi::ways::Way::ALL {
        let a = Buffer::from_vec_with(av.clone(), [n, n]).unwrap();
        let b = Buffer::from_vec_with(bv.clone(), [n, n]).unwrap();
        let c = Buffer::<f32, 2>::new([n, n]);
        syclone::abi::ways::with_way(way, || queue.submit(|h| h.parallel_for(NdRange::new([n, n], [16, 16]), gemm_tiled::<16>(a.read(h), b.read(h), c.write(h)))).unwrap().wait().unwrap());
        let c = c.host_read().unwrap();
        for i in 0..n {
            for j in 0..n {
                let want: f32 = (0..n).map(|k| av[i * n + k] * bv[k * n + j]).sum();
                assert_eq!(c[i * n + j], want, "{way:?}");
            }
        }
    }
}
